#ifndef CGPIOD_H
#define CGPIOD_H
#endif
