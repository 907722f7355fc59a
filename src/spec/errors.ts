/** The errors of Remedium: one class, and one catalogue of codes that docs/errors.md lists too. */

/** Who is at fault: only the agent's failures count against it. */
export type Blame = 'agent' | 'environment' | 'provider' | 'harness' | 'operator'

interface CatalogueEntry {
  readonly blame: Blame
  readonly exitCode: number
  /** When it is raised, in one sentence. */
  readonly meaning: string
}

/** Every code with whom it blames, how the process ends, and when it is raised. */
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
    meaning: 'An argument or the value of an option is missing, superfluous or of the wrong form.',
  },
  'bad-file': {
    blame: 'operator',
    exitCode: 2,
    meaning:
      'A file that was given has a mistake (a topology, a load, a suite, a run, a record, ...); the message says where.',
  },
  'tool-missing': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A program that is needed is not on this machine.',
  },
  'tool-failed': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A program that was called ended with an error.',
  },
  'not-permitted': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'This machine or this user does not allow what is needed.',
  },
  'not-felt': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'Users do not feel a fault that was put in, so nobody can be judged by it.',
  },
  'not-ready': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'A cluster or what runs on it did not become ready in time.',
  },
  'cluster-lost': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'The process of a cluster has ended without being asked to, or does not answer.',
  },
  'key-missing': {
    blame: 'operator',
    exitCode: 2,
    meaning: 'The key of a provider of language models is not in the environment, or is not accepted.',
  },
  'model-failed': {
    blame: 'provider',
    exitCode: 1,
    meaning:
      'A language model could not be had: it does not answer, refuses, or answers what nobody can read.',
  },
  'not-recorded': {
    blame: 'operator',
    exitCode: 1,
    meaning: 'A conversation that is being replayed does not hold what the model was asked.',
  },
  'record-lost': {
    blame: 'harness',
    exitCode: 1,
    meaning:
      'The record of an episode or of a conversation, its telemetry, or the figures of a run could not be written, such as on a full disk.',
  },
  'clock-jumped': {
    blame: 'harness',
    exitCode: 1,
    meaning: 'The clock of the machine was set while a run was at work.',
  },
  'machine-busy': {
    blame: 'environment',
    exitCode: 1,
    meaning: 'Others kept the machine so busy that slow users said nothing about a repair.',
  },
  interrupted: {
    blame: 'operator',
    exitCode: 130,
    meaning: 'The user ended the work before it was done.',
  },
  defect: {
    blame: 'harness',
    exitCode: 70,
    meaning: 'Remedium itself did something that it should not have done.',
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof ERROR_CATALOGUE

export interface ErrorDetails {
  /** What the reader can do about it, in one sentence. */
  hint?: string | undefined
  cause?: unknown
  /** Only where the one at fault is not the one whom the catalogue names. */
  blame?: Blame | undefined
}

/** An error that says what happened, who is at fault and what can be done. */
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

/** Any thrown thing as a RemediumError; what is none already counts as a defect of ours. */
export const toRemediumError = (thrown: unknown): RemediumError => {
  if (thrown instanceof RemediumError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new RemediumError('defect', message, {
    cause: thrown,
    hint: 'This is a defect of Remedium; please report it.',
  })
}
