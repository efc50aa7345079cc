/** Runs as one HTML page. */
export { reportHtml } from './report.ts';
