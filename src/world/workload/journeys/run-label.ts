/** The label by which the randomness of a journey run is forked from its generator's. */

/** Do not reword it: what a seed draws depends on it. */
export const runLabel = (number: number): string => `walk ${number}`
