/** Asks the model as it was before training and as it is now a held-out problem or one of the user's own, and shows both answers with the grader's verdict. */
import { useShownConfig } from '../../run/form/useField.ts';
import { NumberInput, Textarea, TextInput } from '@mantine/core';
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import type { RunConfig } from '@rl-playground/run/settings';
import { referenceMoves, type ChatAnswer } from '@rl-playground/run/chat';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { Said } from './Said.tsx';
import { PromptFold } from '../rollouts/ModelPrompt.tsx';
import { RewardReason } from '../rollouts/RewardReason.tsx';
import { throttled } from '../../ui/draw/throttle.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import '@rl-playground/tasks/words';
import { useRun } from '../../run/state/runStore.ts';
import { noteDeed, reportError } from '../../ui/open/openStore.ts';
import {
  askedMessages,
  heldOutProblem,
  verdictOn,
  type AskedProblem,
  type GraderVerdict,
} from './verdict.ts';
import boxes from '../../ui/style/boxes.module.css';

/** Milliseconds between two drawings of an answer that is being written. */
const STREAM_MILLISECONDS = 50;

function Verdict({ verdict, answer }: { verdict: GraderVerdict | null; answer: string }): ReactNode {
  if (verdict === null) return null;
  const { correct, reward, read } = verdict;
  return (
    <p data-correct={correct ?? undefined}>
      {correct !== null && <RightOrWrong right={correct} />}{' '}
      {reward === null ? (
        <>
          read <b className="number">{read ?? 'nothing'}</b>
          {answer.trim() !== '' && ', expected '}
          <b className="number">{answer.trim()}</b>
        </>
      ) : (
        <RewardReason reward={reward} />
      )}
    </p>
  );
}

/** The title of the answer before training. A model of the user's own is no longer there as it was, so the reference model answers. */
function beforeTitle(config: RunConfig, modelIsOurs: boolean): string {
  if (modelIsOurs || !referenceMoves(config)) return 'Before training';
  return config.klReference === 'past'
    ? 'Reference model, renewed in training'
    : 'Before step 1, after the warm-up';
}

/** A question, and its answers so far. */
interface Asking {
  readonly asked: AskedProblem;
  readonly texts: Readonly<Record<keyof Texts, string | null>>;
  readonly answers: ComparedAnswers | null;
  readonly verdicts: Readonly<Record<keyof Texts, GraderVerdict | null>>;
}

type Texts = Readonly<Record<'before' | 'now', ChatAnswer>>;

interface ComparedAnswers extends Texts {
  readonly step: number;
}

const VOICES = [
  { voice: 'before', turns: [] },
  { voice: 'now', turns: [] },
] as const;

const NOTHING = { before: null, now: null };

/** The held-out problem of a number, with what the user has changed of it. */
function useProblem(index: number): { asked: AskedProblem; edit: (change: Partial<AskedProblem>) => void } {
  const config = useShownConfig();
  const style = useRun(({ snapshot }) => snapshot.promptStyle);
  const problem = useMemo(() => heldOutProblem(config, index), [config, index]);
  const own = problem === null ? '' : style === 'full' ? problem.question : problem.compact;
  const [typed, setTyped] = useState<{ of: string; change: Partial<AskedProblem> } | null>(null);
  const change = typed?.of === own ? typed.change : undefined;
  const text = change?.text ?? own;
  const answer = change?.answer ?? (text === own ? (problem?.answer ?? '') : '');
  const untouched = problem !== null && text === own && answer === problem.answer;
  return {
    asked: { text, answer, problem, untouched },
    edit: (more) => setTyped({ of: own, change: { ...change, ...more } }),
  };
}

export function AskModel(): ReactNode {
  const [index, setIndex] = useState(0);
  const { asked, edit } = useProblem(index);
  const [temperature, setTemperature] = useState(0);
  const [maxTokens, setMaxTokens] = useState<number | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const controller = useRun((state) => state.controller);
  // The model of this run answers, whatever the form says by now.
  const config = useShownConfig();
  const startable = useRun((state) => canStart(state.snapshot));
  const modelIsOurs = useRun(({ snapshot }) => snapshot.modelIsOurs);
  const style = useRun(({ snapshot }) => snapshot.promptStyle) ?? 'full';
  const usable = controller !== null && startable && asked.text.trim() !== '';

  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!usable) return;
    let texts: Asking['texts'] = NOTHING;
    setAsking({ asked, texts, answers: null, verdicts: NOTHING });
    const draw = throttled(
      () => setAsking((now) => (now?.answers === null ? { ...now, texts } : now)),
      STREAM_MILLISECONDS,
    );
    const question = {
      voices: VOICES,
      messages: askedMessages(asked, style),
      temperature,
      maxTokens: maxTokens ?? config.maxTokens,
    };
    try {
      const found = await controller.look('chat', config, question, {
        onText: (of, text) => {
          texts = { ...texts, [of]: text };
          draw();
        },
      });
      if (found === null) {
        setAsking(null);
        return;
      }
      noteDeed('ask');
      const [before, now] = found.answers;
      for (const answer of found.answers) if ('problem' in answer) throw new Error(answer.problem);
      if (!before || !now || 'problem' in before || 'problem' in now) throw new Error('Nobody answered.');
      const answers = { before, now, step: found.step };
      const verdicts = {
        before: await verdictOn(asked, before, config),
        now: await verdictOn(asked, now, config),
      };
      setAsking({ asked, texts: { before: before.text, now: now.text }, answers, verdicts });
    } catch (error) {
      setAsking(null);
      reportError(
        'The question was not answered',
        error,
        'The run is unchanged. Try again when it is paused.',
      );
    }
  };

  const under = asking !== null && asking.answers === null;
  return (
    <form className="stack wide" onSubmit={(event) => void ask(event)} data-testid="ask">
      <Textarea
        label="Problem"
        description={
          asked.problem === null
            ? 'Sent to the model as a message from a person'
            : 'A held-out problem. Change it to ask your own, in the wording of the task'
        }
        value={asked.text}
        onChange={(event) => edit({ text: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={10}
        data-testid="ask-question"
      />
      <div className="row" style={{ alignItems: 'end' }}>
        {asked.problem !== null && (
          <TextInput
            label="Right answer"
            placeholder="if you know it"
            value={asked.answer}
            onChange={(event) => edit({ answer: event.currentTarget.value })}
            data-testid="ask-answer"
          />
        )}
        <NumberInput
          label="Temperature"
          min={0}
          max={5}
          step={0.1}
          value={temperature}
          onChange={(value) => typeof value === 'number' && setTemperature(value)}
        />
        <NumberInput
          label="Longest answer, tokens"
          min={1}
          max={4096}
          allowDecimal={false}
          value={maxTokens ?? config.maxTokens}
          onChange={(value) => typeof value === 'number' && value >= 1 && setMaxTokens(value)}
        />
        <ActionButton type="submit" variant="filled" usable={usable} data-testid="ask-button">
          Ask both
        </ActionButton>
        {asked.problem !== null && (
          <ActionButton onClick={() => setIndex(index + 1)} data-testid="ask-another">
            Another problem
          </ActionButton>
        )}
      </div>
      {asking !== null && (
        <div
          className={`${boxes.cards} ${boxes.wide}`}
          aria-live="polite"
          data-testid="ask-answers"
          data-done={!under}
        >
          <Said
            title={beforeTitle(config, modelIsOurs)}
            text={asking.texts.before}
            writing={under && asking.texts.now === null}
          >
            <Verdict verdict={asking.verdicts.before} answer={asking.asked.answer} />
          </Said>
          <Said
            title={asking.answers === null ? 'Now' : `Now, after step ${asking.answers.step}`}
            text={asking.texts.now}
            writing={under && asking.texts.now !== null}
          >
            <Verdict verdict={asking.verdicts.now} answer={asking.asked.answer} />
          </Said>
        </div>
      )}
      {asking?.answers && <PromptFold read={() => asking.answers?.now.prompt ?? ''} />}
      {!startable && !under && (
        <p className="quiet">The model is training. Pause the run to ask it something.</p>
      )}
    </form>
  );
}
