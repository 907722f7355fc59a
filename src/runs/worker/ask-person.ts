/** Asks a person whether an agent may do something; all of it is shown, and what is too long to be read is not done. */
import type { Policy } from '../../aci/index.ts'

type Approval = Awaited<ReturnType<NonNullable<Policy['approve']>>>

/** Some twenty pages. */
const MOST_READ = 40_000

const SHOWN: readonly string[] = ['command', 'playbook']

/** Texts of many lines as they are, and all else that is said besides. */
const toQuestion = (action: string, input: unknown): string => {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input]]
  const isText = ([name, value]: unknown[]): boolean =>
    SHOWN.includes(String(name)) && typeof value === 'string'
  const others = fields.filter((field) => !isText(field))
  const head = others.length === 0 ? action : `${action} ${JSON.stringify(Object.fromEntries(others))}`
  return [`${head}:`, ...fields.filter(isText).map(([, value]) => String(value))].join('\n')
}

export const askPerson = async (
  { action, input }: { readonly action: string; readonly input: unknown },
  ask: (text: string) => Promise<boolean>,
): Promise<Approval> => {
  const question = toQuestion(action, input)
  if (question.length > MOST_READ)
    return {
      isApproved: false,
      reason: `nobody was asked, because nobody reads ${question.length} letters; ${MOST_READ} are the most`,
    }
  return (await ask(question)) ? { isApproved: true } : { isApproved: false, reason: 'the operator said no' }
}
