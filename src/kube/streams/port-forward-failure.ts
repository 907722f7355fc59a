/** Why a forwarded connection failed, in the words of the kubelet and containerd. */

export interface PortForwardPlace {
  /** The ID of the pod's sandbox: what the messages call the pod. */
  readonly sandbox: string
  /** The path of its network namespace. */
  readonly networkNamespace: string
}

/** The runtime's own words are kept; the bare errors of Node's sockets are put as containerd puts them. */
const reasonOf = (error: NodeJS.ErrnoException, port: number, place: PortForwardPlace): string => {
  const within = `failed to execute portforward in network namespace "${place.networkNamespace}"`
  if (error.code === 'ECONNREFUSED') {
    const refused = 'connect: connection refused'
    return `${within}: failed to connect to localhost:${port} inside namespace "${place.sandbox}", IPv4: dial tcp4 127.0.0.1:${port}: ${refused} IPv6 dial tcp6 [::1]:${port}: ${refused} `
  }
  if (error.code === 'ECONNRESET') return `${within}: read: connection reset by peer`
  return error.message
}

export const portForwardFailure = (error: Error, port: number, place: PortForwardPlace): string =>
  `error forwarding port ${port} to pod ${place.sandbox}, uid : ${reasonOf(error, port, place)}`
