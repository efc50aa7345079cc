/** What the settings' parts share of the page's layout. */

/** Below this width the settings stand above the charts instead of beside them. */
export const NARROW = '(max-width: 900px)';

/** The id of the drawer, for the button that opens it. */
export const DRAWER_ID = 'more-settings';
