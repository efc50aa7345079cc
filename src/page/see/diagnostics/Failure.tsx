import { Component, type ReactNode } from 'react';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';

const FailureScreen = lazyPart(
  async () => (await import('./FailureScreen.tsx')).FailureScreen,
  ({ error }) => <p role="alert">The page could not be drawn: {error.message}</p>,
);

interface FailureProps {
  readonly children: ReactNode;
}

interface FailureState {
  readonly error: Error | null;
}

/** Replaces a page that could not be drawn by a message and a way to save the run. */
export class Failure extends Component<FailureProps, FailureState> {
  override state: FailureState = { error: null };

  static getDerivedStateFromError(error: unknown): FailureState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <FailureScreen error={error} onDrawAgain={() => this.setState({ error: null })} />;
  }
}
