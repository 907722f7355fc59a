/** Asks the operator on the terminal to approve actions. */
import { createInterface, type Interface } from 'node:readline'

export interface ApprovalPrompt {
  /** Asks one question at a time, in order. Questions that are open when the prompt ends resolve to false. */
  ask(text: string): Promise<boolean>
  /** Stops reading; an open reader would keep the process alive. */
  end(): void
}

export const createApprovalPrompt = (): ApprovalPrompt => {
  let last: Promise<unknown> = Promise.resolve()
  let currentReader: Interface | undefined
  let hasEnded = false
  const askNow = (text: string): Promise<boolean> =>
    new Promise((resolve) => {
      if (hasEnded) return resolve(false)
      const reader = createInterface({ input: process.stdin, terminal: false })
      currentReader = reader
      process.stderr.write(text)
      reader.once('line', (line) => {
        resolve(/^\s*y(es)?\s*$/i.test(line))
        reader.close()
      })
      reader.once('close', () => resolve(false))
    })
  return {
    ask(text) {
      const answer = last.then(() => askNow(text))
      last = answer
      return answer
    },
    end() {
      hasEnded = true
      currentReader?.close()
    },
  }
}
