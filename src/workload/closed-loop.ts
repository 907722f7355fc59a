/** Users who walk one journey after another, and think in between. */
import { sleep } from '../kit/index.ts'
import type { LoadProfile } from '../spec/index.ts'
import { chooseByWeight } from './choose-by-weight.ts'
import { type Loop, type LoopSurroundings, walkedByWeight } from './loop-surroundings.ts'
import { createUser } from './user.ts'

export const runClosedLoop = (
  // Where the load does not say they come within one thought: then they do not all act at the same moment.
  { users, thinkMs, startOverMs = thinkMs.most }: LoadProfile & { loop: 'closed' },
  around: LoopSurroundings,
): Loop => {
  const { clock, now, begin, end, random } = around
  const choices = walkedByWeight(around)
  let living = users
  let generation = 0
  let rate = 1

  const live = async (index: number): Promise<void> => {
    let user = createUser(index, now)
    let since = generation
    const chance = random.fork(`user ${index}`)
    let due = begin + (startOverMs * index) / users
    for (let turn = 0; due < end; turn += 1) {
      await sleep(clock, Math.ceil(Math.max(0, due - now())))
      if (around.isStopping()) break
      if (since !== generation) user = createUser(index, now)
      since = generation
      await around.walk(chooseByWeight(choices, chance), user, due, chance.fork(`walk ${turn}`))
      due = now() + (thinkMs.least + chance.next() * (thinkMs.most - thinkMs.least)) / rate
    }
    living -= 1
    if (living === 0) around.exhausted()
  }
  for (let index = 0; index < users; index += 1) void live(index)

  return {
    // There are as many as before, and they think less.
    setRate(factor) {
      rate = factor
    },
    renewUsers() {
      generation += 1
    },
  }
}
