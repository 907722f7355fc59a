/** Reads the number of a port as the kubelet does, and says in its words what is wrong with it. */
export const parsePort = (text: string): { port: number } | { problem: string } => {
  const quoted = JSON.stringify(text)
  const unparsable = (why: string): { problem: string } => ({
    problem: `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: ${why}`,
  })
  if (!/^\d+$/.test(text)) return unparsable('invalid syntax')
  const port = Number(text)
  if (port > 0xffff) return unparsable('value out of range')
  return port < 1 ? { problem: `port ${quoted} must be > 0` } : { port }
}
