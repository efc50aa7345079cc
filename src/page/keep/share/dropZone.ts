/** The attribute of the element over which hand-ins are dropped. */
export const HAND_IN_DROP_ZONE = 'data-hand-ins';
