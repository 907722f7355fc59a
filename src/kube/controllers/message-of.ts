/** What an error says, in the words that go into events and conditions. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
