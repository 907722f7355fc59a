/** Formats an error as the message of an event or condition. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
