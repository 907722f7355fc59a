/** The path of the control socket that `rabbitmqctl` connects to, in the broker's folder. */
export const toControlSocketPath = (folder: string): string => `${folder}/rabbitmqctl.sock`
