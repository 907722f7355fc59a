/** The errors of Remedium: one class, and the catalogue of codes, which docs/errors.md also lists. */

/** Who is to blame. Only failures blamed on the agent count against it. */
export type Blame = 'agent' | 'environment' | 'provider' | 'harness' | 'operator'

interface CatalogueEntry {
  readonly blame: Blame
  readonly exitCode: number
  /** One sentence that says when the error occurs. */
  readonly meaning: string
}

/** Every code with its blame, its exit code and its meaning. */
export const ERROR_CATALOGUE = {
  'unknown-command': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'The command line names a command that does not exist.',
  },
  'unknown-option': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'The command line gives an option that the command does not have.',
  },
  'bad-argument': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'An argument or option value is missing, superfluous or malformed.',
  },
  'bad-file': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'A file (topology, load, suite, run, record, ...) is invalid; the message says where.',
  },
  'tool-missing': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A required program is not installed.',
  },
  'tool-failed': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A program ended with an error.',
  },
  'not-permitted': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'This machine or this user lacks a required permission.',
  },
  'no-user-impact': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'An injected fault does not affect users, so the episode cannot be judged.',
  },
  'not-ready': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A cluster, or a workload on it, did not become ready in time.',
  },
  'cluster-lost': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'The process of a cluster ended unexpectedly or does not respond.',
  },
  'key-missing': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'The key of a language model provider is missing from the environment or was rejected.',
  },
  'model-failed': {
    blame: 'provider',
    exitCode: 1,
    meaning:
      'A call of a language model failed: there was no answer, the provider refused the request, or the answer cannot be parsed.',
  },
  'not-recorded': {
    blame: 'operator',
    exitCode: 1,
    meaning: 'A replayed conversation does not contain the request to the model.',
  },
  'record-lost': {
    blame: 'harness',
    exitCode: 1,
    meaning:
      'A record, telemetry or the results of a run could not be written, for example because the disk is full.',
  },
  'clock-jumped': {
    blame: 'harness',
    exitCode: 1,
    meaning: 'The clock of the machine jumped during a run.',
  },
  'machine-busy': {
    blame: 'environment',
    exitCode: 1,
    meaning:
      'Other processes kept the machine so busy that slow responses are no evidence against the repair.',
  },
  unsupported: {
    blame: 'harness',
    exitCode: 1,
    meaning: 'The engine does not support something that a solver used, so the episode cannot be judged.',
  },
  interrupted: {
    blame: 'operator',
    exitCode: 130,
    meaning: 'The operator interrupted the command.',
  },
  defect: {
    blame: 'harness',
    exitCode: 70,
    meaning: 'Remedium has a bug.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERROR_CATALOGUE

export interface ErrorDetails {
  /** One sentence that says what the reader can do. */
  hint?: string | undefined
  cause?: unknown
  /** Overrides the blame of the catalogue. */
  blame?: Blame | undefined
}

/** An error that says what happened, who is to blame and what can be done. */
export class RemediumError extends Error {
  override readonly name = 'RemediumError'
  readonly code: ErrorCode
  readonly blame: Blame
  readonly exitCode: number
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.blame = details.blame ?? ERROR_CATALOGUE[code].blame
    this.exitCode = ERROR_CATALOGUE[code].exitCode
    this.hint = details.hint
  }
}

/** Converts any thrown value; one that is not a RemediumError counts as a defect. */
export const toRemediumError = (thrown: unknown): RemediumError => {
  if (thrown instanceof RemediumError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new RemediumError('defect', message, {
    cause: thrown,
    hint: 'This is a defect of Remedium; please report it.',
  })
}
