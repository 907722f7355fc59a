/** A destination of output, which several processes can hold open. */

export interface ProcessOutput {
  write(text: string): void
  /** Adds a process that holds the output open. */
  hold(): void
  /** Removes a process. */
  release(): void
}

/** `onClosed` is called when no process holds the output any more. */
export const createProcessOutput = (
  write: (text: string) => void,
  onClosed: () => void = () => {},
): ProcessOutput => {
  let holders = 0
  return {
    write,
    hold() {
      holders += 1
    },
    release() {
      holders -= 1
      if (holders === 0) onClosed()
    },
  }
}
