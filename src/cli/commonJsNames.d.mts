export const moduleAddress: string;
export const commonJsNames: string;
