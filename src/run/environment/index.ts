/** Files beside the page. */
export { address, fetchAhead } from '../models/besidePage.ts';
