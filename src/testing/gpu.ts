import { afterEach } from 'vitest';
import { onDeviceProblem } from '../backend/device.ts';

/** A shader that does not compile only shows here: WebGPU goes on with what was in the buffers. */
export function failOnDeviceProblems(): void {
  const problems: string[] = [];
  onDeviceProblem(({ message }) => problems.push(message));
  afterEach(() => {
    const news = problems.splice(0);
    if (news.length > 0) throw new Error(news.join('\n'));
  });
}
