/** The termination message of a container, from its file or from the end of its log. */
import type { Container } from 'kubernetes-types/core/v1.d.ts'

/** The part of the file that counts. */
export const MAX_MESSAGE_BYTES = 4096
/** The part of the log that counts. */
export const MESSAGE_LOG_LIMITS = { bytes: 2048, lines: 80 }

export const terminationPathOf = ({ terminationMessagePath }: Container): string =>
  terminationMessagePath || '/dev/termination-log'

/** Whether the end of the log is the message of a container that has written none. */
export const usesLogAsMessage = ({ terminationMessagePolicy }: Container, exitCode: number): boolean =>
  terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0
