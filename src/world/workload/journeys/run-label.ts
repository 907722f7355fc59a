/** The label of the fork from which a journey run draws its random values. */

/** Do not change the text: the values drawn from a seed depend on it. */
export const runLabel = (number: number): string => `walk ${number}`
