/** The model, drawn once: embedding, layers with their heads, MLPs, adapters, and where the gradient of a step was large. */
import { useMemo, type CSSProperties, type ReactNode } from 'react';
import type { LoraSettings, ModelConfig } from '@rl-playground/engine/parts';
import { blockKey, modelBlocks, type ModelBlock } from '@rl-playground/run/inspect/blocks';
import type { GradientQuestion, GradientSeen } from '@rl-playground/run/session';
import { type RunConfig, updatesPerBatch } from '@rl-playground/run/settings';
import { useRun } from '../../run/state/runStore.ts';
import { compact, parameterCount } from '../../ui/text/format.ts';
import { Unanswered } from '../rollouts/Unanswered.tsx';
import { useLook, type Look } from '../rollouts/useLook.ts';
import { blockName, blockShape, gradientWords, modelWords } from './words.ts';
import classes from './model.module.css';

/** Heads that are drawn one by one. */
const MOST_HEADS = 32;

type Seen = GradientSeen | { readonly norm: null };

const look: Look<GradientQuestion, Seen> = (controller, settings, question, stored) =>
  controller.look('gradientSeen', settings, question, stored);
/** Weights that are gone do not come back, and the gradient of a step does not change. */
const settled = (): boolean => true;

interface BlockProps {
  readonly block: ModelBlock;
  readonly config: ModelConfig;
  /** The norm of its gradient, and the largest one of a block; null where none was measured. */
  readonly gradient: { readonly norm: number; readonly largest: number } | null;
}

function Block({ block, config, gradient }: BlockProps): ReactNode {
  const share = gradient && gradient.largest > 0 ? gradient.norm / gradient.largest : 0;
  const heads = block.kind === 'attention' ? Math.min(config.heads, MOST_HEADS) : 0;
  return (
    <div
      className={classes.block}
      style={{ '--level': `${Math.round(45 * share)}%` } as CSSProperties}
      data-block={blockKey(block)}
    >
      <span className="row apart">
        <b>{blockName(block)}</b>
        <span className="number">
          {block.parameters > 0 && parameterCount(block.parameters)}
          {block.adapter > 0 && ` + ${parameterCount(block.adapter)} LoRA`}
        </span>
      </span>
      <span className="row apart">
        <span>
          {heads > 0 && (
            <span aria-hidden="true">
              {Array.from({ length: heads }, (_, i) => (
                <i key={i} className={classes.head} />
              ))}{' '}
            </span>
          )}
          {blockShape(block, config)}
        </span>
        {gradient !== null && <span className="number">‖∇‖ {compact(gradient.norm)}</span>}
      </span>
    </div>
  );
}

function loraOf({ loraRank, loraAlpha, loraTargets }: RunConfig): LoraSettings | null {
  return loraRank === 0 ? null : { rank: loraRank, alpha: loraAlpha, targets: loraTargets };
}

interface ModelDrawingProps {
  /** The step whose gradient is drawn, and all its answers; null draws the model alone. */
  readonly of: { readonly step: number; readonly answers: GradientQuestion } | null;
}

export function ModelDrawing({ of }: ModelDrawingProps): ReactNode {
  const config = useRun(({ controller }) => controller?.start.parts?.model.config ?? null);
  const settings = useRun((state) => state.snapshot.config);
  const asked = useLook(of?.answers ?? null, look, settled);
  const lora = useMemo(() => settings && loraOf(settings), [settings]);
  const blocks = useMemo(() => (config === null ? [] : modelBlocks(config, lora)), [config, lora]);
  if (config === null) return <p className="quiet">No model is loaded yet.</p>;
  const seen = asked.state === 'found' && asked.found.norm !== null ? asked.found : null;
  const largest = Math.max(0, ...(seen?.blocks.values() ?? []));
  const drawn = (block: ModelBlock | undefined): ReactNode =>
    block && (
      <Block
        block={block}
        config={config}
        gradient={
          seen && block.parameters + block.adapter > 0
            ? { norm: seen.blocks.get(blockKey(block)) ?? 0, largest }
            : null
        }
      />
    );
  const find = (kind: ModelBlock['kind'], layer: number | null = null): ReactNode =>
    drawn(blocks.find((block) => block.kind === kind && block.layer === layer));
  const updates = settings === null ? 1 : updatesPerBatch(settings);
  return (
    <div className="stack" data-testid="model-drawing">
      <p>{modelWords(blocks, config, lora)}</p>
      {of !== null && (
        <div aria-live="polite">
          {seen !== null && <p className="note">{gradientWords(blocks, seen, of.step)}</p>}
          {asked.state === 'found' && seen === null && (
            <p className="quiet">
              The weights before this step are no longer kept, so its gradient can’t be measured.
            </p>
          )}
          {asked.state !== 'found' && <Unanswered asked={asked} what="The gradient is measured" />}
          {seen !== null && (
            <p className="quiet">
              Measured again with the weights before the step, over all its answers
              {updates > 1 ? ` at once, although the step made ${updates} updates` : ''}. ‖∇‖ is the L2 norm
              of a block’s gradient before any clipping; the stronger the colour, the larger it is
              {settings?.baseline === 'value' ? '. The value head’s part is left out' : ''}.
            </p>
          )}
        </div>
      )}
      <ol className={`plain ${classes.drawing}`} aria-label="The model from its input to its output">
        <li>{find('embedding')}</li>
        {Array.from({ length: config.layers }, (_, layer) => (
          <li key={layer} className={classes.layer}>
            <span>Layer {layer + 1}</span>
            {find('attention', layer)}
            {find('mlp', layer)}
          </li>
        ))}
        <li>{find('norm')}</li>
        <li>{find('head')}</li>
      </ol>
    </div>
  );
}
