import type { NatsConnection } from '@nats-io/transport-node';
import { RefusedValue } from '../check/refusal.ts';
import { optionalModule } from './serve/store.ts';

/** A server that is silent for twice so long, in ms, is given up for another one. */
const SILENCE = 2000;

/**
 * A connection to one of the NATS servers of a list, such as `nats://a,nats://user:password@b:4222`. It finds another server
 * when its own is gone, for as long as it is open.
 *
 * @throws RangeError for a list that is none, or whose servers do not answer, or where the package is not installed.
 */
export async function openNats(servers: string): Promise<NatsConnection> {
  const urls = servers.split(',').map((text) => (URL.canParse(text.trim()) ? new URL(text.trim()) : undefined));
  const sound = urls.filter((url) => url !== undefined && ['nats:', 'tls:'].includes(url.protocol) && url.host !== '');
  if (sound.length !== urls.length) {
    throw new RefusedValue('servers', 'addresses such as nats://a:4222,nats://b:4222', servers);
  }
  const { connect } = await optionalModule<typeof import('@nats-io/transport-node')>('@nats-io/transport-node');
  const { username, password, protocol } = sound[0] as URL;
  try {
    return await connect({
      servers: sound.map((url) => (url as URL).host),
      ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      ...(protocol === 'tls:' ? { tls: {} } : {}),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: SILENCE,
    });
  } catch (error) {
    const hosts = sound.map((url) => (url as URL).host).join(', ');
    throw new RefusedValue('servers', `NATS servers that answer: ${(error as Error).message}`, hosts);
  }
}
