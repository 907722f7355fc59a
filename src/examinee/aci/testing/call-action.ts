/** Calls an action through the interface that agents use, on fake signals and objects. */
import type { Observation } from '#spec'
import { createActions } from '../create-actions.ts'
import type { Playbooks, Shell } from '../ports.ts'
import { createSpending } from '../spending.ts'
import { createFakeContext, type FakeContext, type FakeSignals } from './fake-context.ts'

interface CallOptions extends NonNullable<Parameters<typeof createFakeContext>[0]> {
  readonly shell?: Shell
  readonly playbooks?: Playbooks
}

export const callAction = async (
  name: string,
  input: object,
  { shell, playbooks, ...options }: CallOptions = {},
): Promise<Observation & { fake: FakeContext }> => {
  const fake = createFakeContext(options)
  const actions = createActions({
    context: fake.context,
    policy: {},
    spending: createSpending({}, () => {}),
    shell,
    playbooks,
    onFailure() {},
  })
  return { ...(await actions.call(name, input)), fake }
}

export const withSignals = (signals: FakeSignals): CallOptions => ({ signals })
