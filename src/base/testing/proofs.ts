/**
 * True if tests outside of kernels run their slow proofs too, which PROOFS=all asks for. Otherwise each slow proof is
 * left to a small sibling that fails for the same reason, so that the whole suite stays under eleven minutes on two
 * idle cores.
 */
export const everyProof = process.env['PROOFS'] === 'all';

/** All cases, or the few that represent them. */
export const provenBy = <T>(all: readonly T[], few: readonly T[]): readonly T[] => (everyProof ? all : few);
