/** Contains a panel's failure: shows an error in its place, with a button to try again. */
import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface Props {
  readonly name: string;
  readonly children: ReactNode;
}

export class FailureBoundary extends Component<Props, { failure: Error | undefined }> {
  override state: { failure: Error | undefined } = { failure: undefined };

  static getDerivedStateFromError(error: unknown): { failure: Error } {
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return (
      <Alert color="red" m="md" title={`${this.props.name} failed`}>
        <p className="mono">{failure.message}</p>
        <Button onClick={() => this.setState({ failure: undefined })}>Show again</Button>
      </Alert>
    );
  }
}
