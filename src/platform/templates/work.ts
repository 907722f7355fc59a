/** Bounds the work of one evaluation: steps, and the sizes of strings and lists. Evaluation is synchronous, so one counter is enough. */
import { UnsupportedTemplate } from './template-error.ts'

const MAX_STEPS = 2_000_000
const MAX_TEXT = 1_000_000
const MAX_ITEMS = 100_000
export const MAX_TEMPLATE = 65_536
/** Nesting of expressions, values and variables; Python's own limits are higher. */
export const MAX_DEPTH = 60

let left = Number.POSITIVE_INFINITY
let hasUnsafe = false

/** Throws UnsupportedTemplate if the evaluation has used up its steps. */
export const spend = (steps: number): void => {
  left -= steps
  if (left < 0) throw new UnsupportedTemplate(`more than ${MAX_STEPS} steps of evaluation`)
}

/** Starts a new evaluation. */
export const resetWork = (): void => {
  left = MAX_STEPS
  hasUnsafe = false
}

/** Must be called when a value from outside the play is read. */
export const noteUnsafe = (): void => {
  hasUnsafe = true
}

/** Whether strings of this evaluation may be Ansible's unsafe strings, whose operators differ. */
export const mayBeUnsafe = (): boolean => hasUnsafe

/** Must be called while a string grows, with its current length. */
export const growText = (length: number): void => {
  if (length > MAX_TEXT) throw new UnsupportedTemplate(`text of more than ${MAX_TEXT} characters`)
  spend(1)
}

/** Must be called before a string of this length is created. */
export const spendText = (length: number): void => {
  growText(length)
  spend(length >> 5)
}

/** Must be called before a list of this length is created or read. */
export const spendItems = (count: number): void => {
  if (count > MAX_ITEMS) throw new UnsupportedTemplate(`a list of more than ${MAX_ITEMS} items`)
  spend(1 + count)
}

export const checkDepth = (depth: number): void => {
  if (depth > MAX_DEPTH) throw new UnsupportedTemplate(`nesting deeper than ${MAX_DEPTH}`)
}
