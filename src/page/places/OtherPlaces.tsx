/** The places beside Train, each a list of its parts. */
import type { ComponentType, ReactNode } from 'react';
import { useForm } from '../run/form/formStore.ts';
import { beginsAtLessons, type PagePart } from '../run/address/classroom.ts';
import { Fold } from '../ui/parts/Fold.tsx';
import { lazyPart } from '../ui/draw/lazyPart.tsx';
import { ASK_ID } from '../ui/open/places.ts';
import type { Place } from '../ui/open/placeNames.ts';
import { Explainer } from '../learn/explain/Explainer.tsx';
import classes from './places.module.css';

const RolloutsPanel = lazyPart(async () => (await import('../see/rollouts/RolloutsPanel.tsx')).RolloutsPanel);
const InspectorPanel = lazyPart(
  async () => (await import('../see/inspector/InspectorPanel.tsx')).InspectorPanel,
);
const AskModel = lazyPart(async () => (await import('../see/ask/AskModel.tsx')).AskModel);
const RunList = lazyPart(async () => (await import('../keep/list/RunList.tsx')).RunList);
const ComparePanel = lazyPart(async () => (await import('../keep/compare/ComparePanel.tsx')).ComparePanel);
const FirstMinutes = lazyPart(async () => (await import('../learn/path/FirstMinutes.tsx')).FirstMinutes);
const TryThis = lazyPart(async () => (await import('../learn/suggestions/TryThis.tsx')).TryThis);
const LessonsPart = lazyPart(async () => (await import('../learn/lessons/LessonsPart.tsx')).LessonsPart);
const ZooPanel = lazyPart(async () => (await import('../learn/zoo/ZooPanel.tsx')).ZooPanel);
const CustomTaskPanel = lazyPart(
  async () => (await import('../own/custom/CustomTaskPanel.tsx')).CustomTaskPanel,
);
const CalculatorPanel = lazyPart(
  async () => (await import('../own/calculator/RewardCalculator.tsx')).CalculatorPanel,
);
const ClassPanel = lazyPart(async () => (await import('../keep/share/ClassPanel.tsx')).ClassPanel);

function Ask(): ReactNode {
  return (
    <section className="panel" aria-label="Ask the model" id={ASK_ID}>
      <Fold title="Ask the model" note="a chat with the model before training and now" part="ask" heading>
        <AskModel />
      </Fold>
    </section>
  );
}

function Zoo(): ReactNode {
  return (
    <section className="panel" aria-label="Failure zoo">
      <Fold
        title="Failure zoo"
        note="twelve short runs that go wrong, the alarm for each, and the cure"
        heading
      >
        <ZooPanel />
      </Fold>
    </section>
  );
}

function Words(): ReactNode {
  return (
    <section className="panel" aria-label="What the words mean">
      <Fold title="What the words mean" note="reward, advantage, accuracy…" heading>
        <Explainer />
      </Fold>
    </section>
  );
}

function OwnTask(): ReactNode {
  return (
    <section className="panel" aria-label="Your own task">
      <Fold
        title="Your own task"
        note="your questions and answers, your grader or program"
        part="ownTasks"
        heading
      >
        <CustomTaskPanel />
      </Fold>
    </section>
  );
}

function Calculator(): ReactNode {
  return (
    <section className="panel" aria-label="Reward calculator">
      <Fold title="Reward calculator" note="edit an answer and see every part of its reward" heading>
        <CalculatorPanel />
      </Fold>
    </section>
  );
}

function Class(): ReactNode {
  return (
    <section className="panel" aria-label="For a class">
      <Fold
        title="For a class"
        note="a link to a reduced page, and runs that are handed in and checked"
        initially
        heading
      >
        <ClassPanel />
      </Fold>
    </section>
  );
}

type OtherPlace = Exclude<Place, 'train'>;

/** The parts of each place, each under the word by which a link leaves it out. */
const PARTS: Readonly<Record<OtherPlace, readonly (readonly [PagePart, ComponentType])[]>> = {
  answers: [
    ['rollouts', RolloutsPanel],
    ['rollouts', InspectorPanel],
    ['tools', Ask],
  ],
  runs: [
    ['runs', RunList],
    ['runs', ComparePanel],
  ],
  learn: [
    ['try', FirstMinutes],
    ['try', TryThis],
    ['lessons', LessonsPart],
    ['tools', Zoo],
    ['explain', Words],
  ],
  make: [
    ['tools', OwnTask],
    ['tools', Calculator],
  ],
  teach: [['tools', Class]],
};

export const OTHER_PLACES = Object.keys(PARTS) as readonly OtherPlace[];

const partsOf = (place: OtherPlace, hidden: ReadonlySet<PagePart>): readonly ComponentType[] =>
  PARTS[place].flatMap(([word, Part]) => (hidden.has(word) ? [] : Part));

/** The places of which the link that opened the page leaves something. */
export function useOtherPlaces(): readonly OtherPlace[] {
  const hidden = useForm((state) => state.classroom.hidden);
  return OTHER_PLACES.filter((place) => partsOf(place, hidden).length > 0);
}

/** A link that leads to the lessons has them first. */
const lessonsFirst = (parts: readonly ComponentType[]): readonly ComponentType[] =>
  parts.toSorted((a, b) => Number(b === LessonsPart) - Number(a === LessonsPart));

export function OtherPlace({ place }: { readonly place: OtherPlace }): ReactNode {
  const hidden = useForm((state) => state.classroom.hidden);
  const toLessons = useForm((state) => beginsAtLessons(state.classroom));
  const parts = partsOf(place, hidden);
  return (
    <div className={classes.parts}>
      {(toLessons ? lessonsFirst(parts) : parts).map((Part, i) => (
        <Part key={i} />
      ))}
    </div>
  );
}
