/** The budget of a solver: how many steps and how much time it has for a problem. */
export interface Budget {
  readonly steps: number
  readonly seconds: number
}
