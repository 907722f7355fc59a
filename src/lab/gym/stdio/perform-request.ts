/** Performs the requests of the JSON-lines protocol. docs/gym.md describes it. */
import { z } from 'zod'
import { RemediumError } from '#spec'
import type { ScoreRequest } from '../check-score-request.ts'
import type { Gym } from '../create-gym.ts'
import type { GymSession } from '../create-gym-session.ts'

const session = z.string().max(200).default('main')
const METHODS = {
  reset: z.strictObject({
    session,
    problem: z.string().optional(),
    seed: z.union([z.string().max(1000), z.number()]).optional(),
  }),
  step: z.strictObject({ session, action: z.unknown() }),
  score: z.strictObject({ requests: z.array(z.unknown()).max(100_000) }),
  close: z.strictObject({ session }),
  problems: z.strictObject({}),
}

type MethodName = keyof typeof METHODS

const parseParameters = <Name extends MethodName>(
  name: Name,
  params: unknown,
): z.infer<(typeof METHODS)[Name]> => {
  const parsed = METHODS[name].safeParse(params ?? {})
  if (parsed.success) return parsed.data as z.infer<(typeof METHODS)[Name]>
  const [issue] = parsed.error.issues
  const field = ['params', ...issue!.path].join('.')
  throw new RemediumError('bad-argument', `The request "${name}" is invalid: ${field}: ${issue!.message}`)
}

/** Sessions are opened by their names on their first reset. */
export const createRequestHandler = (gym: Gym): ((method: string, params: unknown) => Promise<unknown>) => {
  const sessions = new Map<string, GymSession>()
  const sessionOf = (name: string): GymSession => {
    const found = sessions.get(name) ?? gym.openSession()
    sessions.set(name, found)
    return found
  }
  const methods: { [Name in MethodName]: (params: z.infer<(typeof METHODS)[Name]>) => Promise<unknown> } = {
    reset: async ({ session: name, ...request }) => sessionOf(name).reset(request),
    async step({ session: name, action }) {
      const found = sessions.get(name)
      if (found === undefined)
        throw new RemediumError('bad-argument', `There is no session "${name}". Call reset first.`)
      return found.step(action)
    },
    score: ({ requests }) => gym.score(requests as ScoreRequest[]),
    async close({ session: name }) {
      await sessions.get(name)?.close()
      sessions.delete(name)
      return null
    },
    problems: async () =>
      gym.problems
        .values()
        .map(({ id, system, task, budget }) => ({ id, system, task, budget }))
        .toArray(),
  }
  return async (method, params) => {
    if (Object.hasOwn(METHODS, method)) {
      const name = method as MethodName
      return methods[name](parseParameters(name, params) as never)
    }
    throw new RemediumError('bad-argument', `There is no method "${method.slice(0, 100)}".`, {
      hint: `The methods are: ${Object.keys(METHODS).join(', ')}.`,
    })
  }
}
