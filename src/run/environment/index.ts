/** Files beside the page. */
export { address, fetchAhead } from './besidePage.ts';
