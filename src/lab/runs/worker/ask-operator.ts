/** Asks the operator whether an agent may act. The whole action is shown; an action that is too long to review is refused. */
import type { Policy } from '#examinee/aci'
import { isPlainObject } from '#kit'

type Approval = Awaited<ReturnType<NonNullable<Policy['approve']>>>

/** About twenty pages. */
const MAX_CHARACTERS = 40_000

/** Fields that are shown as text, line by line; other fields are shown as JSON. */
const TEXT_FIELDS: readonly string[] = ['command', 'playbook']

const toQuestion = (action: string, input: unknown): string => {
  const fields = isPlainObject(input) ? Object.entries(input) : [['input', input]]
  const isText = ([name, value]: unknown[]): boolean =>
    TEXT_FIELDS.includes(String(name)) && typeof value === 'string'
  const others = fields.filter((field) => !isText(field))
  const head = others.length === 0 ? action : `${action} ${JSON.stringify(Object.fromEntries(others))}`
  return [`${head}:`, ...fields.filter(isText).map(([, value]) => String(value))].join('\n')
}

const toCount = (number: number): string => number.toLocaleString('en-US')

export const askOperator = async (
  { action, input }: { readonly action: string; readonly input: unknown },
  ask: (text: string) => Promise<boolean>,
): Promise<Approval> => {
  const question = toQuestion(action, input)
  if (question.length > MAX_CHARACTERS)
    return {
      isApproved: false,
      reason: `too long to review: ${toCount(question.length)} characters (at most ${toCount(MAX_CHARACTERS)})`,
    }
  return (await ask(question)) ? { isApproved: true } : { isApproved: false, reason: 'the operator refused' }
}
