import { Button, Group, NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { messageOf } from '@rl-playground/base/errors';
import {
  taskConfigErrors,
  findTask,
  MIXTURE,
  SCORING_MODES,
  type Problem,
  type ScoringMode,
  type Task,
  type TaskConfig,
} from '@rl-playground/tasks/parts';
import type { StopReason } from '@rl-playground/base/conversation';
import '@rl-playground/tasks/words';
import { useForm } from '../../run/form/formStore.ts';
import { RewardResult } from './RewardResult.tsx';
import { useReward } from './useReward.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import boxes from '../../ui/style/boxes.module.css';
import controls from '../../run/controls/controls.module.css';

type Ending = Exclude<StopReason, 'error'>;

const ENDINGS: Readonly<Record<Ending, string>> = {
  eos: 'ended by itself',
  stop: 'ended at a stop string',
  max_tokens: 'cut off at the token limit',
};

interface CalculatorProps {
  readonly task: Task;
  readonly config: TaskConfig;
  readonly seed: number;
  readonly mode: ScoringMode;
}

/** An answer that can be edited, and the reward that it earns. */
function Scored({
  task,
  config,
  problem,
  mode,
}: Omit<CalculatorProps, 'seed'> & { problem: Problem }): ReactNode {
  const worked = useMemo(() => task.workedAnswer(problem), [task, problem]);
  /** Null: the worked answer is shown, which changes when the grader of an unfinished task changes. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? worked;
  const [stopReason, setStopReason] = useState<Ending>('eos');
  const [chosenMode, setMode] = useState(mode);
  const completion = useMemo(() => ({ text, tokens: [], stopReason }), [text, stopReason]);
  const settings = useMemo(() => ({ mode: chosenMode, config }), [chosenMode, config]);
  const calculation = useReward(task, problem, completion, settings);
  return (
    <div className={`${boxes.cards} ${boxes.wide}`}>
      <div className="stack wide">
        <Textarea
          size="sm"
          label="Completion"
          description="Edit this answer to see how its reward changes."
          value={text}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={14}
          classNames={{ input: 'mono' }}
          data-testid="calculator-completion"
        />
        <Group align="end" gap={6}>
          <Choice label="The answer" words={ENDINGS} value={stopReason} onChoose={setStopReason} />
          <Button onClick={() => setTyped(null)} disabled={text === worked}>
            Reset to the worked answer
          </Button>
        </Group>
      </div>
      <div className="stack wide">
        {task.definition === undefined && (
          <SegmentedControl
            aria-label="Scoring"
            value={chosenMode}
            onChange={(value) => setMode(SCORING_MODES.find((each) => each === value) ?? 'strict')}
            data={[
              { value: 'strict', label: 'strict scoring' },
              { value: 'upstream', label: 'upstream scoring' },
            ]}
          />
        )}
        <RewardResult
          calculation={calculation}
          problem={problem}
          program={task.definition?.grader.kind === 'code'}
        />
      </div>
    </div>
  );
}

/** The problems of a task one by one, each with an answer to edit and every part of its reward. */
export function RewardCalculator({ task, config, seed, mode }: CalculatorProps): ReactNode {
  const [index, setIndex] = useState(0);
  const { problem, error } = useMemo(() => {
    try {
      return {
        problem: task.generate(Number.isInteger(seed) ? seed : 0, 'train', index, config),
        error: null,
      };
    } catch (error) {
      return { problem: null, error: messageOf(error) };
    }
  }, [task, config, seed, index]);
  return (
    <div className="stack wide" data-testid="calculator">
      <div className="row">
        <span className="quiet">
          {task.title}, training problem <b className="number">{index + 1}</b>
        </span>
        <ActionButton usable={index > 0} onClick={() => setIndex((at) => at - 1)}>
          Previous problem
        </ActionButton>
        <Button onClick={() => setIndex((at) => at + 1)}>Next problem</Button>
      </div>
      {problem === null ? (
        <p className="note bad">{error}</p>
      ) : (
        <>
          <dl className={controls.example}>
            <dt>Question</dt>
            <dd className={controls.asked} data-testid="calculator-question">
              {problem.question}
            </dd>
            <dt>Right answer</dt>
            <dd className={controls.asked} data-testid="calculator-answer">
              {problem.answer}
            </dd>
          </dl>
          <Scored
            key={`${task.name} ${index} ${mode} ${JSON.stringify(config)} ${problem.question}`}
            task={task}
            config={config}
            problem={problem}
            mode={mode}
          />
        </>
      )}
    </div>
  );
}

/** The calculator for the form's task, or for one task of a mixture. */
export function CalculatorPanel(): ReactNode {
  const form = useForm((state) => state.form);
  // An edited custom task is another object.
  const customTasks = useForm((state) => state.customTasks);
  const [chosen, setChosen] = useState<string | null>(null);
  const parts = form.task === MIXTURE ? form.mixture : null;
  const part = parts?.find(({ task }) => task === chosen) ?? parts?.[0];
  const name = part?.task ?? form.task;
  const given = part?.config ?? form.taskConfig;
  const task = customTasks.find((each) => each.name === name) ?? findTask(name);
  const config = useMemo(() => ({ ...task?.defaults, ...given }), [task, given]);
  if (parts?.length === 0)
    return <p className="quiet">The mixture has no task yet. Add one in the settings.</p>;
  if (task === null) return <p className="quiet">The task {name} is not on this page.</p>;
  const errors = taskConfigErrors(task, config);
  return (
    <div className="stack wide">
      {parts !== null && (
        <NativeSelect
          label="Task of the mixture"
          value={name}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={parts.map((each) => ({ value: each.task, label: findTask(each.task)?.title ?? each.task }))}
        />
      )}
      {errors.length > 0 ? (
        <p className="note bad">{errors.join(' ')}</p>
      ) : (
        <RewardCalculator
          // A task gets its problems when its rows are loaded.
          key={`${name} ${task.dataset?.counts()?.train ?? 0}`}
          task={task}
          config={config}
          seed={form.seed}
          mode={form.scoring}
        />
      )}
    </div>
  );
}
