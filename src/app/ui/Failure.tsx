import { Component, type ReactNode } from 'react';
import classes from './Failure.module.css';

interface FailureProps {
  readonly children: ReactNode;
}

interface FailureState {
  readonly error: Error | null;
}

/** Stands in for the page when drawing it throws: says so instead of leaving it blank. */
export class Failure extends Component<FailureProps, FailureState> {
  override state: FailureState = { error: null };

  static getDerivedStateFromError(error: unknown): FailureState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className={classes.failure} role="alert">
        <h1>The page could not be drawn</h1>
        <p>
          This is a fault of RL Playground, not of your machine or your run’s settings. Reload the page to go
          on; a run that was under way is lost unless its checkpoint was downloaded.
        </p>
        <pre>{error.message}</pre>
      </div>
    );
  }
}
