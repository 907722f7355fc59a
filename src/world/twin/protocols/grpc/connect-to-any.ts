/** Connects to one of several addresses of a name: tries the next one in parallel if one is slow or fails. */
import type { ProgramTime } from '#spec'

interface Address {
  readonly host: string
  readonly port: number
}

const keyOf = ({ host, port }: Address): string => `${host}:${port}`

/** Delay before the next address is tried in parallel. */
const STAGGER_MS = 250

/** Returns true when one attempt succeeds, false when all have failed or after the delay. */
const succeedsWithinStagger = async (
  time: Pick<ProgramTime, 'after'>,
  attempts: readonly Promise<unknown>[],
): Promise<boolean> => {
  let cancel = (): void => {}
  const timeout = new Promise<boolean>((resolve) => {
    cancel = time.after(STAGGER_MS, () => resolve(false))
  })
  const success = Promise.any(attempts).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([success, timeout])
  } finally {
    cancel()
  }
}

interface ConnectOptions<T> {
  readonly time: Pick<ProgramTime, 'after'>
  /** Returns the addresses in turn; a repeated one ends the list. */
  readonly nextAddress: () => Promise<Address>
  readonly connect: (address: Address) => Promise<T>
  readonly discard: (connection: T) => void
}

/** Rejects with the first failure. */
export const connectToAny = async <T>({
  time,
  nextAddress,
  connect,
  discard,
}: ConnectOptions<T>): Promise<T> => {
  const tried = new Set<string>()
  const attempts: Promise<T>[] = []
  let target: Address | undefined = await nextAddress()
  while (target !== undefined && !tried.has(keyOf(target))) {
    tried.add(keyOf(target))
    attempts.push(connect(target))
    if (await succeedsWithinStagger(time, attempts)) break
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
