/** What is beside the page. */
export { address, fetchAhead } from './besidePage.ts';
