/** Connects to one of several addresses of a name: where one keeps us waiting or fails, the next is tried beside it. */

interface Address {
  readonly host: string
  readonly port: number
}

const keyOf = ({ host, port }: Address): string => `${host}:${port}`

/** Before the next address is tried as well. */
const STAGGER_MS = 250

/** True as soon as one has succeeded, false when all have failed or the time is over. */
const succeedsSoon = async (attempts: readonly Promise<unknown>[]): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), STAGGER_MS)
  })
  const made = Promise.any(attempts).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([made, late])
  } finally {
    clearTimeout(timer)
  }
}

/** `address` gives the addresses in turn; the first that comes again is the last. Rejects with the first failure. */
export const connectToAny = async <T>(
  address: () => Promise<Address>,
  connect: (address: Address) => Promise<T>,
  discard: (connection: T) => void,
): Promise<T> => {
  const tried = new Set<string>()
  const attempts: Promise<T>[] = []
  let target: Address | undefined = await address()
  while (target !== undefined && !tried.has(keyOf(target))) {
    tried.add(keyOf(target))
    attempts.push(connect(target))
    if (await succeedsSoon(attempts)) break
    target = await address().catch(() => undefined)
  }
  try {
    const winner = await Promise.any(attempts)
    for (const attempt of attempts)
      attempt.then(
        (made) => made !== winner && discard(made),
        () => {},
      )
    return winner
  } catch (error) {
    throw (error as AggregateError).errors[0]
  }
}
