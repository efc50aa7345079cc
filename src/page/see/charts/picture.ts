/** A chart as a file that needs no page around it: an SVG with plain colours, its title and its key, or a PNG of that. */
import { pngOf } from '../../ui/files/png.ts';
import type { ChartSpec, Curve } from './specs/spec.ts';

const SVG = 'http://www.w3.org/2000/svg';
const HEAD = 46;
const KEY_LINE = 20;
const MARGIN = 12;
/** Pixels of a PNG for each pixel of the chart. */
const SCALE = 2;
/** The styles that the page's stylesheet may have set. */
const STYLES = ['fill', 'stroke', 'font-size', 'font-family', 'font-weight'] as const;
/** The crosshair, which does not belong into a file. */
const POINTED_AT = '.recharts-tooltip-cursor, .recharts-active-dot';

/** The words around the drawing. */
export interface Caption extends Pick<ChartSpec, 'title' | 'unit'> {
  readonly curves: readonly Pick<Curve, 'name' | 'colour'>[];
}

/** Turns any colour of CSS into red, green and blue, because other programs know no newer words. */
function plainColours(figure: HTMLElement): (css: string) => string {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  return (css) => {
    if (canvas === null || css === 'none') return css;
    figure.style.color = css;
    canvas.fillStyle = getComputedStyle(figure).color;
    figure.style.color = '';
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return alpha === 255
      ? `rgb(${red}, ${green}, ${blue})`
      : `rgba(${red}, ${green}, ${blue}, ${alpha / 255})`;
  };
}

function made(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

/** Copies the drawing of a figure, with its title, unit and key. @throws Error where it draws nothing */
function drawingOf(figure: HTMLElement, { title, unit, curves }: Caption): SVGElement {
  const drawn = figure.querySelector<SVGElement>('.recharts-wrapper > svg');
  if (drawn === null) throw new Error('The chart draws nothing yet.');
  const plain = plainColours(figure);
  const styled = (from: Element, to: Element): void => {
    const style = getComputedStyle(from);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      to.setAttribute(name, name === 'fill' || name === 'stroke' ? plain(value) : value);
    }
    to.removeAttribute('class');
    to.removeAttribute('style');
  };
  const copy = drawn.cloneNode(true) as SVGElement;
  const originals = [drawn, ...drawn.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
    const original = originals[i];
    if (original?.closest(POINTED_AT)) element.remove();
    else if (original instanceof SVGElement && original.closest('defs') === null) styled(original, element);
  });
  for (const name of ['role', 'tabindex', 'aria-label']) copy.removeAttribute(name);
  const { width, height } = drawn.getBoundingClientRect();
  const rootStyle = getComputedStyle(figure);
  const named = curves.length > 1 ? curves : [];
  const whole = made('svg', {
    xmlns: SVG,
    width,
    height: HEAD + height + KEY_LINE * named.length + MARGIN,
    'font-family': rootStyle.fontFamily,
  });
  whole.append(made('title', {}, `${title} (${unit})`));
  whole.append(made('rect', { width: '100%', height: '100%', fill: plain(rootStyle.backgroundColor) }));
  const ink = plain('var(--ink)');
  whole.append(made('text', { x: MARGIN, y: 20, fill: ink, 'font-size': 14, 'font-weight': 650 }, title));
  whole.append(made('text', { x: MARGIN, y: 37, fill: plain('var(--ink-faint)'), 'font-size': 12 }, unit));
  copy.setAttribute('y', String(HEAD));
  whole.append(copy);
  named.forEach(({ name, colour: css }, i) => {
    const y = HEAD + height + KEY_LINE * i + 14;
    whole.append(made('rect', { x: MARGIN, y: y - 6, width: 14, height: 3, fill: plain(css) }));
    whole.append(made('text', { x: MARGIN + 20, y, fill: ink, 'font-size': 12 }, name));
  });
  return whole;
}

/** Makes a file of the chart in a figure, in the colours of the page. @throws Error where it draws nothing, or the browser can't */
export async function pictureOf(figure: HTMLElement, caption: Caption, format: 'PNG' | 'SVG'): Promise<Blob> {
  const drawing = drawingOf(figure, caption);
  const svg = new Blob([new XMLSerializer().serializeToString(drawing)], { type: 'image/svg+xml' });
  const [width, height] = ['width', 'height'].map((name) => Number(drawing.getAttribute(name)));
  return format === 'SVG' ? svg : pngOf(svg, { width: width ?? 0, height: height ?? 0 }, SCALE);
}
