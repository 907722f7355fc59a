/** Bounds the work of one evaluation: steps, and the sizes of texts and lists. Evaluation is synchronous, so one counter is enough. */
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

/** Call it when a value from outside of the play is read. */
export const noteUnsafe = (): void => {
  hasUnsafe = true
}

/** Whether texts of this evaluation may be Ansible's unsafe texts, which have operators of their own. */
export const mayBeUnsafe = (): boolean => hasUnsafe

/** Call it while a text grows, with its length so far. */
export const growText = (length: number): void => {
  if (length > MAX_TEXT) throw new UnsupportedTemplate(`text of more than ${MAX_TEXT} characters`)
  spend(1)
}

/** Call it before a text of this length is made. */
export const spendText = (length: number): void => {
  growText(length)
  spend(length >> 5)
}

/** Call it before a list of this length is made or read. */
export const spendItems = (count: number): void => {
  if (count > MAX_ITEMS) throw new UnsupportedTemplate(`a list of more than ${MAX_ITEMS} items`)
  spend(1 + count)
}

export const checkDepth = (depth: number): void => {
  if (depth > MAX_DEPTH) throw new UnsupportedTemplate(`nesting deeper than ${MAX_DEPTH}`)
}
