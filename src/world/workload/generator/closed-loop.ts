/** A closed loop: a fixed number of users, who pause for a think time between journeys. */
import { sleep } from '#kit'
import type { LoadProfile } from '#spec'
import { runLabel } from '../journeys/run-label.ts'
import { createUser } from '../journeys/user.ts'
import { chooseByWeight } from './choose-by-weight.ts'
import { type Loop, type LoopContext, listWeightedJourneys } from './loop-context.ts'

export const runClosedLoop = (
  // By default, users start at times spread over one think time, so that they are not synchronised.
  { users, thinkMs, startOverMs = thinkMs.max }: LoadProfile & { loop: 'closed' },
  context: LoopContext,
): Loop => {
  const { clock, now, begin, end, random } = context
  const choices = listWeightedJourneys(context)
  let active = users
  let generation = 0
  let rate = 1

  const runUser = async (index: number): Promise<void> => {
    let user = createUser(index, now)
    let userGeneration = generation
    const userRandom = random.fork(`user ${index}`)
    let due = begin + (startOverMs * index) / users
    for (let turn = 0; due < end; turn += 1) {
      await sleep(clock, Math.ceil(Math.max(0, due - now())))
      if (context.isStopping()) break
      if (userGeneration !== generation) user = createUser(index, now)
      userGeneration = generation
      await context.runJourney(
        chooseByWeight(choices, userRandom),
        user,
        due,
        userRandom.fork(runLabel(turn)),
      )
      due = now() + (thinkMs.min + userRandom.next() * (thinkMs.max - thinkMs.min)) / rate
    }
    active -= 1
    if (active === 0) context.onExhausted()
  }
  for (let index = 0; index < users; index += 1) void runUser(index)

  return {
    // Changes the think time, not the number of users.
    setRate(factor) {
      rate = factor
    },
    resetUsers() {
      generation += 1
    },
  }
}
