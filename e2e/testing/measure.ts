/** Measurements inside pods: round-trip times of pings and HTTP requests, and the paths on which datagrams arrive. */
import type { FaultLab } from './use-fault-lab.ts'

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/**
 * Measures up to three times until `isGood` accepts the value, because other programs and chance can disturb a measurement. A
 * fault that does not work fails every time.
 */
export const measureAgain = async <T>(
  measure: () => Promise<T>,
  isGood: (value: T) => boolean,
  tries = 3,
): Promise<T> => {
  const value = await measure()
  return isGood(value) || tries === 1 ? value : measureAgain(measure, isGood, tries - 1)
}

export const within =
  (min: number, max: number) =>
  (value: number): boolean =>
    value >= min && value <= max

export interface Pings {
  /** The round-trip times in milliseconds. */
  times: number[]
  sent: number
  received: number
  duplicates: number
}

export const ping = async (
  { exec }: Pick<FaultLab, 'exec'>,
  pod: string,
  address: string,
  { count = 20, interval = 0.02 } = {},
): Promise<Pings> => {
  const text = await exec(pod, `ping -c ${count} -i ${interval} -W 1 ${address}`)
  const summary = /(\d+) packets transmitted, (\d+) received,(?: \+(\d+) duplicates,)?/.exec(text)
  if (summary === null) throw new Error(`unexpected output of ping: ${text}`)
  const [, sent, received, duplicates = '0'] = summary
  return {
    times: [...text.matchAll(/time=([\d.]+) ms/g)].map(([, time]) => Number(time)),
    sent: Number(sent),
    received: Number(received),
    duplicates: Number(duplicates),
  }
}

/** Resolves to the durations in milliseconds of `count` requests over one open connection. */
export const httpTimes = (
  { python }: Pick<FaultLab, 'python'>,
  pod: string,
  host: string,
  count = 20,
): Promise<number[]> =>
  python(
    pod,
    `
import http.client, json, time
connection = http.client.HTTPConnection('${host}', 8080, timeout=20)
def measure_request():
    begin = time.monotonic()
    connection.request('GET', '/')
    connection.getresponse().read()
    return (time.monotonic() - begin) * 1000
measure_request()
print(json.dumps([measure_request() for _ in range(${count})]))
`,
  )

/** Resolves to the duration of a download over a new connection, and whether every byte was correct. */
export const download = (
  { python }: Pick<FaultLab, 'python'>,
  pod: string,
  host: string,
  bytes: number,
): Promise<{ milliseconds: number; isCorrect: boolean }> =>
  python(
    pod,
    `
import http.client, json, time
connection = http.client.HTTPConnection('${host}', 8080, timeout=50)
connection.connect()
begin = time.monotonic()
connection.request('GET', '/bytes/${bytes}')
body = connection.getresponse().read()
milliseconds = (time.monotonic() - begin) * 1000
print(json.dumps({'milliseconds': milliseconds, 'isCorrect': body == bytes(range(256)) * (${bytes} // 256)}))
`,
  )

let round = 0

/**
 * Finds the paths on which datagrams arrive: `a>b` if datagrams from a reach b by its address, `a>b by Service` if they reach it
 * through the Service of the same name. Unlike connections, datagrams test each direction separately.
 */
export const arrivingPaths = async (
  { python, ipOf }: Pick<FaultLab, 'python' | 'ipOf'>,
  pods: readonly string[],
): Promise<string[]> => {
  round += 1
  const addresses = Object.fromEntries(await Promise.all(pods.map(async (pod) => [pod, await ipOf(pod)])))
  await Promise.all(
    pods.map((pod) => {
      const others = pods.filter((other) => other !== pod)
      const datagrams = others.flatMap((other) => [
        [addresses[other], `${pod}>${other}`],
        [other, `${pod}>${other} by Service`],
      ])
      return python(
        pod,
        `
import json, socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams = [(socket.gethostbyname(to), text) for to, text in json.loads('''${JSON.stringify(datagrams)}''')]
for _ in range(3):
    for to, text in datagrams:
        try:
            sender.sendto(('${round} ' + text).encode(), (to, 9000))
        except PermissionError:
            pass # A firewall rule in the sender's pod rejects the datagram.
    time.sleep(0.05)
print('null')
`,
      )
    }),
  )
  const arrived = await Promise.all(
    pods.map((pod) =>
      python(
        pod,
        `import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8080/received').read().decode())`,
      ),
    ),
  )
  return arrived
    .flat()
    .filter((text: string) => text.startsWith(`${round} `))
    .map((text: string) => text.slice(`${round} `.length))
    .toSorted()
}
