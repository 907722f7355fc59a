/** Connects to one of several addresses of a name: tries the next one in parallel if one is slow or fails. */

interface Address {
  readonly host: string
  readonly port: number
}

const keyOf = ({ host, port }: Address): string => `${host}:${port}`

/** Delay before the next address is tried in parallel. */
const STAGGER_MS = 250

/** Returns true when one attempt succeeds, false when all have failed or after the delay. */
const succeedsWithinStagger = async (attempts: readonly Promise<unknown>[]): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), STAGGER_MS)
  })
  const success = Promise.any(attempts).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([success, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * `nextAddress` returns the addresses in turn; a repeated one ends the list. Rejects with the first failure.
 */
export const connectToAny = async <T>(
  nextAddress: () => Promise<Address>,
  connect: (address: Address) => Promise<T>,
  discard: (connection: T) => void,
): Promise<T> => {
  const tried = new Set<string>()
  const attempts: Promise<T>[] = []
  let target: Address | undefined = await nextAddress()
  while (target !== undefined && !tried.has(keyOf(target))) {
    tried.add(keyOf(target))
    attempts.push(connect(target))
    if (await succeedsWithinStagger(attempts)) break
    target = await nextAddress().catch(() => undefined)
  }
  try {
    const winner = await Promise.any(attempts)
    for (const attempt of attempts)
      attempt.then(
        (connection) => connection !== winner && discard(connection),
        () => {},
      )
    return winner
  } catch (error) {
    throw (error as AggregateError).errors[0]
  }
}
