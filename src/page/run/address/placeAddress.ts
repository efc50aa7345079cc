/** Writes the place that is shown into the page's address: a link opens there, and the browser's Back leads to the place before. */
import { showPlace, useOpen } from '../../ui/open/openStore.ts';
import { readAddress } from './address.ts';

/** The query with this place in place of another. The place that the rest of the query leads to needs no word. */
export function withPlace(search: string, place: string): string {
  const others = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && !part.startsWith('place='));
  const said = readAddress(`?${others.join('&')}`).place === place ? [] : [`place=${place}`];
  const parts = [...said, ...others];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export function keepPlace(): void {
  useOpen.subscribe(({ place }) => {
    const { pathname, search, hash } = window.location;
    if (place !== readAddress(search).place)
      window.history.pushState(null, '', pathname + withPlace(search, place) + hash);
  });
  window.addEventListener('popstate', () => showPlace(readAddress(window.location.search).place));
}
