/** Asks the operator on the terminal to approve actions. */
import { createInterface, type Interface } from 'node:readline'

export interface ApprovalPrompt {
  /** Asks one question at a time, in order. Questions that are still open at the end resolve to false. */
  ask(text: string): Promise<boolean>
  /** Stops reading; an open reader would keep the process alive. */
  end(): void
}

export const createApprovalPrompt = (): ApprovalPrompt => {
  let last: Promise<unknown> = Promise.resolve()
  let lines: Interface | undefined
  let hasEnded = false
  const ask = (text: string): Promise<boolean> =>
    new Promise((resolve) => {
      if (hasEnded) return resolve(false)
      const open = createInterface({ input: process.stdin, terminal: false })
      lines = open
      process.stderr.write(text)
      open.once('line', (line) => {
        resolve(/^\s*y(es)?\s*$/i.test(line))
        open.close()
      })
      open.once('close', () => resolve(false))
    })
  return {
    ask(text) {
      const answer = last.then(() => ask(text))
      last = answer
      return answer
    },
    end() {
      hasEnded = true
      lines?.close()
    },
  }
}
