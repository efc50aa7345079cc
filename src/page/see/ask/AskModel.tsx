/** A chat with the model as it was before training, as it is now and as it was behind an earlier step, side by side. */
import { NativeSelect, NumberInput, Textarea } from '@mantine/core';
import { useMemo, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { referenceMoves } from '@rl-playground/run/chat';
import type { RunConfig } from '@rl-playground/run/settings';
import type { Problem } from '@rl-playground/tasks/parts';
import { useShownConfig } from '../../run/form/useField.ts';
import { isBusy } from '../../run/state/phases.ts';
import { useRun } from '../../run/state/runStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import '@rl-playground/tasks/words';
import { heldOutProblem, wordsOf } from './asked.ts';
import { columnsAt, stepsToAsk } from './conversation.ts';
import { Replies, spoken } from './Replies.tsx';
import { Untrained } from './Untrained.tsx';
import { useChat } from './useChat.ts';

/** The title of the answer before training. A model of the user's own is no longer there as it was, so the reference model answers. */
function beforeTitle(config: RunConfig, modelIsOurs: boolean): string {
  if (modelIsOurs || !referenceMoves(config)) return 'Before training';
  return config.klReference === 'past'
    ? 'Reference model, renewed in training'
    : 'Before step 1, after the warm-up';
}

const RENDERERS = {
  chat_template: 'The model’s own chat template makes the prompts.',
  role_colon:
    'The model has no chat template, or the run leaves it out: the prompts are paragraphs that begin with “User:” and “Assistant:”.',
} as const;

/** The words in the field, with the held-out problem that they began with. A conversation begins with one. */
function useWords(begun: boolean) {
  const config = useShownConfig();
  const style = useRun(({ snapshot }) => snapshot.promptStyle) ?? 'full';
  const [index, setIndex] = useState(0);
  const [offered, setOffered] = useState(true);
  const problem: Problem | null = useMemo(() => heldOutProblem(config, index), [config, index]);
  const own = wordsOf(problem, style);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = begun && !offered ? '' : own;
  return {
    problem,
    text: typed ?? shown,
    setTyped,
    /** Puts the next held-out problem into the field. */
    another: () => {
      if (begun && !offered) setOffered(true);
      else setIndex(index + 1);
      setTyped(null);
    },
    sent: () => {
      setOffered(false);
      setTyped(null);
      setIndex(index + 1);
    },
  };
}

export function AskModel(): ReactNode {
  const chat = useChat();
  const { turns, under } = chat;
  const begun = turns.length > 0;
  const { problem, text, setTyped, another, sent } = useWords(begun);
  const [temperature, setTemperature] = useState(0);
  const [maxTokens, setMaxTokens] = useState<number | null>(null);
  const [past, setPast] = useState<number | null>(null);
  // The model of this run answers, whatever the form says by now.
  const config = useShownConfig();
  const ready = useRun((state) => state.controller !== null && state.snapshot.modelName !== null);
  const { phase, step, modelIsOurs, sft } = useRun(({ snapshot }) => snapshot);
  const moved = step > 0 || sft.losses.length > 0;
  const steps = stepsToAsk(step);
  const usable = ready && phase !== 'loading' && !under && text.trim() !== '';
  const before = beforeTitle(config, modelIsOurs);

  const ask = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!usable) return;
    const columns = columnsAt(moved, past !== null && past < step ? past : null);
    void chat.say({ text, problem, columns, temperature, maxTokens: maxTokens ?? config.maxTokens });
    sent();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };

  const last = turns.at(-1);
  return (
    <div className="stack wide">
      <form className="stack" onSubmit={ask} data-testid="ask">
        <div className="stack" data-testid="ask-answers" data-done={begun && !under}>
          {turns.map((turn, i) => (
            <Replies key={i} turn={turn} before={before} />
          ))}
        </div>
        <p className="visually-hidden" role="status">
          {last && spoken(last, before)}
        </p>
        {under && isBusy(phase) && (
          <p className="quiet">The run goes on meanwhile: the models answer between two of its steps.</p>
        )}
        <Textarea
          label={begun ? 'Your next message' : 'Your message'}
          description={
            problem === null
              ? 'Enter sends it, Shift+Enter begins a line'
              : 'A held-out problem, or your own words. Enter sends it, Shift+Enter begins a line'
          }
          value={text}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autosize
          minRows={2}
          maxRows={10}
          data-testid="ask-question"
        />
        <div className="row" style={{ alignItems: 'end' }}>
          <NumberInput
            label="Temperature"
            min={0}
            max={5}
            step={0.1}
            value={temperature}
            onChange={(value) => typeof value === 'number' && setTemperature(value)}
          />
          <NumberInput
            label="Tokens per answer"
            min={1}
            max={4096}
            allowDecimal={false}
            value={maxTokens ?? config.maxTokens}
            onChange={(value) => typeof value === 'number' && value >= 1 && setMaxTokens(value)}
          />
          {steps.length > 0 && (
            <NativeSelect
              label="Third column"
              value={past ?? ''}
              data={[
                { value: '', label: 'none' },
                ...steps.map((each) => ({ value: `${each}`, label: `after step ${each}` })),
              ]}
              onChange={({ currentTarget: { value } }) => setPast(value === '' ? null : Number(value))}
              data-testid="ask-past"
            />
          )}
          {under ? (
            <ActionButton variant="filled" onClick={chat.stop} data-testid="ask-stop">
              Stop
            </ActionButton>
          ) : (
            <ActionButton type="submit" variant="filled" usable={usable} data-testid="ask-button">
              {moved ? 'Ask all' : 'Ask'}
            </ActionButton>
          )}
          {problem !== null && (
            <ActionButton onClick={another} data-testid="ask-another">
              {begun ? 'A held-out problem' : 'Another problem'}
            </ActionButton>
          )}
          {begun && (
            <ActionButton onClick={chat.clear} data-testid="ask-clear">
              Clear
            </ActionButton>
          )}
        </div>
        {!moved && ready && (
          <p className="quiet">
            Before the first step all versions of the model are one. Once it has trained, the answers before
            and now stand side by side.
          </p>
        )}
        {chat.renderer !== null && begun && <p className="quiet">{RENDERERS[chat.renderer]}</p>}
      </form>
      {moved && <Untrained usable={ready && phase !== 'loading'} before={before} />}
    </div>
  );
}
