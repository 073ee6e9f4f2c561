/*
 * Packets and bytes of every pair of addresses of a capture, with libpcap: what a program written for
 * one question does. Prints packets, bytes and pairs. Ethernet with IPv4, IPv6 and one VLAN tag.
 */
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t key[32];
  uint64_t packets, bytes;
  int used;
} pair;

static pair *table;
static size_t size = 1 << 16, used;

static uint64_t hash(const uint8_t *key) {
  uint64_t h = 1469598103934665603ull, word;
  for (int i = 0; i < 32; i += 8) {
    memcpy(&word, key + i, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  }
  return h;
}

static pair *find(const uint8_t *key) {
  size_t at = hash(key) & (size - 1);
  while (table[at].used && memcmp(table[at].key, key, 32) != 0) at = (at + 1) & (size - 1);
  return &table[at];
}

static void grow(void) {
  pair *old = table;
  size_t count = size;
  size *= 2;
  table = calloc(size, sizeof(pair));
  for (size_t i = 0; i < count; i++)
    if (old[i].used) *find(old[i].key) = old[i];
  free(old);
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t *capture = argc > 1 ? pcap_open_offline(argv[1], error) : NULL;
  if (capture == NULL) {
    fprintf(stderr, "%s\n", argc > 1 ? error : "pair-count FILE");
    return 1;
  }
  table = calloc(size, sizeof(pair));
  struct pcap_pkthdr *head;
  const u_char *frame;
  uint64_t packets = 0, bytes = 0;
  while (pcap_next_ex(capture, &head, &frame) == 1) {
    packets++;
    bytes += head->len;
    uint32_t at = 14;
    if (head->caplen < at) continue;
    uint16_t type = (uint16_t)(frame[12] << 8 | frame[13]);
    if (type == 0x8100 && head->caplen >= 18) {
      type = (uint16_t)(frame[16] << 8 | frame[17]);
      at = 18;
    }
    uint8_t key[32] = {0};
    if (type == 0x0800 && head->caplen >= at + 20) {
      memcpy(key, frame + at + 12, 4);
      memcpy(key + 16, frame + at + 16, 4);
    } else if (type == 0x86dd && head->caplen >= at + 40) {
      memcpy(key, frame + at + 8, 32);
    } else {
      continue;
    }
    pair *one = find(key);
    if (!one->used) {
      if (++used * 2 > size) {
        grow();
        one = find(key);
      }
      one->used = 1;
      memcpy(one->key, key, 32);
    }
    one->packets++;
    one->bytes += head->len;
  }
  printf("%llu %llu %zu\n", (unsigned long long)packets, (unsigned long long)bytes, used);
  return 0;
}
