/** Returns the text of a block, converted in the same way as the result of a template. */
import { concatenate } from './concatenate.ts'
import type { Evaluate, Execute } from './frame.ts'

export const captureOutput =
  (execute: Execute): Evaluate =>
  (frame) => {
    const outer = frame.out
    frame.out = []
    execute(frame)
    const value = concatenate(frame.out)
    frame.out = outer
    return value
  }
