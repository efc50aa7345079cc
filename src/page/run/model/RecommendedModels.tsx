import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { parameterCount } from '@rl-playground/engine/parts';
import { modelTerms, RECOMMENDED_MODELS, type RecommendedModel } from '@rl-playground/run/models';
import { durationText } from '@rl-playground/run/plan';
import { parameterCount as parametersText } from '../../ui/text/format.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useHub } from './hubStore.ts';
import { usePlanOf } from './usePlanOf.ts';
import { lookUp } from './modelActions.ts';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import classes from './model.module.css';

function Row({ model }: { readonly model: RecommendedModel }): ReactNode {
  const { address, config, storedType, bytes, note } = model;
  const work = useHub((state) => state.models.work);
  const plan = usePlanOf()({ config, storedType, promptTokens: null });
  const parameters = parameterCount(config);
  const seconds = typeof plan === 'string' ? null : plan.step.seconds;
  return (
    <tr>
      <th scope="row">
        <ActionButton
          usable={work === null}
          aria-label={`Look up ${address}`}
          onClick={() => void lookUp(address)}
        >
          {address}
        </ActionButton>
        <div className="quiet">
          {note}. {modelTerms(model)}
        </div>
      </th>
      <td data-label="Parameters">{parametersText(parameters)}</td>
      <td data-label="Download">{bytesText(bytes)}</td>
      {typeof plan === 'string' ? (
        <td colSpan={2} className="quiet">
          {plan}
        </td>
      ) : (
        <>
          <td data-label="Memory at the peak">
            {bytesText(plan.peak.gpu + plan.peak.host)}
            {plan.fits ? '' : ', does not fit'}
          </td>
          <td data-label="A step, at most">{seconds === null ? 'not known yet' : durationText(seconds)}</td>
        </>
      )}
    </tr>
  );
}

/** Small models that this page trains, with the needs of a run with the form’s settings. */
export function RecommendedModels(): ReactNode {
  return (
    <section aria-label="Recommended">
      <h3 className={classes.heading}>Recommended</h3>
      <p className="quiet">
        Press a name to look it up. Memory and time are those of a run with your settings; the time is known
        once a step was trained on this machine.
      </p>
      <table className={`${tables.table} ${tables.stacked}`}>
        <Columns names={['Model', 'Parameters', 'Download', 'Memory at the peak', 'A step, at most']} />
        <tbody>
          {RECOMMENDED_MODELS.map((model) => (
            <Row key={model.address} model={model} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
