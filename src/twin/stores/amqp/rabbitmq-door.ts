/** Where `rabbitmqctl` finds the broker of its pod: a socket in the broker's folder. */
export const rabbitmqDoorIn = (folder: string): string => `${folder}/rabbitmqctl.sock`
